export const releasesFolder: string;
