/** Style sheets go into the page's own, dist/web/NAME.css: the bundler sees to it. */
declare module '*.css';
