/** The page's style: light and dark as the reader's system is, and for paper. */
export const style = `
:root {
  --text: #1f2328; --quiet: #59636e; --page: #ffffff; --panel: #f6f8fa; --line: #d1d9e0;
  --link: #0550ae; --odd: #9a3412; --odd-page: #fff1e6; --rank: #0a3069; --rank-page: #ddf4ff; --bad: #a40e26;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3; --quiet: #9198a1; --page: #0d1117; --panel: #151b23; --line: #3d444d;
    --link: #79c0ff; --odd: #ffb77c; --odd-page: #3a2313; --rank: #a5d6ff; --rank-page: #10304d; --bad: #ff9492;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem 1.5rem 4rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 0.6rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0; display: inline; }
p { margin: 0.4rem 0; }
code, .frame, .line, .value { font-family: ui-monospace, 'DejaVu Sans Mono', Consolas, monospace; font-size: 0.87em;
  overflow-wrap: anywhere; }
a { color: var(--link); }
.quiet { color: var(--quiet); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.3rem 1.2rem; list-style: none; margin: 0.6rem 0; padding: 0; }
form { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center;
  padding: 0.5rem 0; background: var(--page); }
form[hidden] { display: none; }
input, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line);
  border-radius: 4px; padding: 0.15rem 0.5rem; }
input[aria-invalid='true'] { border-color: var(--bad); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
table { border-collapse: collapse; margin: 0.4rem 0; }
caption { text-align: left; color: var(--quiet); padding: 0.2rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.2rem 0.9rem 0.2rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
th { font-weight: 600; overflow-wrap: break-word; }
thead th { color: var(--quiet); font-weight: 500; white-space: nowrap; }
details { margin: 0.15rem 0; }
summary { cursor: pointer; padding: 0.1rem 0; }
.ranks { display: inline-block; min-width: 2.2rem; max-width: 16rem; padding: 0 0.4rem; border-radius: 4px;
  background: var(--rank-page); color: var(--rank); font: 0.85em/1.5 ui-monospace, monospace; white-space: nowrap; }
.ranks.many { white-space: normal; overflow-wrap: break-word; vertical-align: top; }
.odd > .ranks, .odd > summary > .ranks, .odd { color: var(--odd); }
.odd > .ranks, .odd > summary > .ranks { background: var(--odd-page); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.sentences { margin: 0.4rem 0; padding: 0.5rem 0.8rem 0.5rem 1.8rem; background: var(--panel);
  border-left: 4px solid var(--odd); }
.plain { list-style: none; margin: 0; padding: 0; }
.kind { margin: 0.7rem 0; padding: 0.4rem 0.8rem; border: 1px solid var(--line); border-radius: 6px; }
.kind > details, .kind > .entry { margin-left: 1.1rem; }
.entry > table { margin-left: 1.4rem; }
.branch, .forks { margin: 0; padding: 0; list-style: none; }
.forks .forks { margin-left: 0.6rem; padding-left: 1rem; border-left: 2px solid var(--line); }
.forks > li { margin: 0.25rem 0; color: var(--text); }
.frames { list-style: none; margin: 0 0 0 1.4rem; padding: 0; }
.frame .at { color: var(--quiet); }
[hidden] { display: none !important; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  form, nav { display: none; }
  .entry, tr, .frames > li { break-inside: avoid; }
  h2 { break-after: avoid; }
}
`;
