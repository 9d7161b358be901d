import { hash } from 'node:crypto';

/**
 * The whole style sheet. It is part of the page, which then needs nothing else to look right. `plaintext` lets each text
 * run the way its own letters do.
 */
export const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2433;--soft:#5d6779;--line:#e3e7ee;--accent:#2f5d8a;--card:#f6f8fb}
@media (prefers-color-scheme:dark){:root{--paper:#12161d;--ink:#e6e9ef;--soft:#9aa5b8;--line:#2a313d;--accent:#8ab8e6;--card:#1a202a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main{max-width:44rem;margin:0 auto;padding:1.25rem 1rem 3rem}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.15em}
h1{font-size:1.6rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.1rem;margin:2rem 0 .5rem}
p{margin:.5rem 0}
h1,h2,p,li,div.soft{unicode-bidi:plaintext}
.head{display:flex;gap:1.1rem;align-items:flex-start}
.head div{min-width:0}
.logo{width:8rem;height:8rem;flex:none;border-radius:.75rem;object-fit:cover;background:var(--card)}
.soft{color:var(--soft);font-size:.9rem}
.text{white-space:pre-line;margin-top:1.25rem}
.tags,.items{list-style:none;margin:.75rem 0 0;padding:0}
.tags{display:flex;flex-wrap:wrap;gap:.4rem}
.tags li{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:.05rem .65rem;font-size:.85rem;color:var(--soft)}
.items li{border-top:1px solid var(--line);padding:.8rem 0}
.items a{font-weight:600;text-decoration:none}
.items a:hover{text-decoration:underline}
.brief{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;line-clamp:2;overflow:hidden;margin:.2rem 0 0}
.do{display:flex;flex-wrap:wrap;gap:.6rem;margin-top:1.25rem}
.do a{border:1px solid var(--accent);border-radius:.5rem;padding:.4rem .9rem;text-decoration:none}
.do a:first-child{background:var(--accent);color:var(--paper)}
label{display:block;margin:1rem 0 0}
input{display:block;width:100%;max-width:24rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.45rem .6rem;margin-top:.2rem}
input[type=checkbox]{display:inline;width:auto;margin:0}
.box .soft{display:block}
button{font:inherit;background:var(--accent);color:var(--paper);border:0;border-radius:.5rem;padding:.45rem 1rem;cursor:pointer}
.problem{border-left:.25rem solid #c0392b;background:var(--card);padding:.5rem .75rem}
dt{color:var(--soft);font-size:.9rem;margin-top:.6rem}
dd{margin:0}
code{font:.85rem/1.4 ui-monospace,monospace;background:var(--card);border-radius:.3rem;padding:.1rem .35rem}
@media (max-width:30rem){.logo{width:5.5rem;height:5.5rem}h1{font-size:1.3rem}}
`;

/** A page may show itself and pictures of this server, and do nothing else. */
export const PAGE_POLICY = createPolicy("'none'");

/** The same for a page with a form, which goes to this server. */
export const FORM_POLICY = createPolicy("'self'");

function createPolicy(formAction: string): string {
  const style = hash('sha256', STYLE, 'base64');
  return [
    "default-src 'none'",
    "img-src 'self'",
    `style-src 'sha256-${style}'`,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ');
}
