/**
 * The style sheet of the site. Colours are variables, set once for light and once for dark, and keep the contrast that
 * WCAG 2.2 AA asks for: 4.5 for text, 3 for the borders of controls. `plaintext` lets each text run in its own direction.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f7f7fa; --card: #fff; --ink: #1b2130; --soft: #596275; --line: #dfe2ea; --edge: #7d869c;
  --accent: #3949ab; --on-accent: #fff; --tint: #e9ebf8; --good: #1f7a4d; --bad: #b3261e; --bad-tint: #fbeceb;
  --shadow: 0 1px 2px rgb(20 25 45 / 8%);
  --margin: min(1rem, 5vw);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12141b; --card: #1b1e28; --ink: #e7e9f1; --soft: #a5adbf; --line: #2d3240; --edge: #737c93;
    --accent: #a5b1ff; --on-accent: #14172a; --tint: #252a42; --good: #6fd3a0; --bad: #ff9c94; --bad-tint: #3a2323;
    --shadow: none;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
h1, h2 { line-height: 1.25; margin: 2rem 0 .6rem; text-wrap: balance; }
h1 { font-size: 1.7rem; margin-top: 0; letter-spacing: -.01em; }
h2 { font-size: 1.2rem; }
p { margin: .6rem 0; }
ol { padding-inline-start: 1.4rem; }
ol > li + li { margin-top: .35rem; }
h1, h2, p, li, dd, td, th, .soft, .grid a > span { unicode-bidi: plaintext; }
h1, h2, p, li, dd, .soft { text-align: left; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .16em; }
a:hover { text-decoration-thickness: 2px; }
img, svg, audio, video { max-width: 100%; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
code { display: inline-block; max-width: 100%; font: .88em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: var(--tint); border-radius: .3rem; padding: .12em .4em; -webkit-user-select: all; user-select: all; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .4rem .8rem; z-index: 1; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.site-header { background: var(--card); border-bottom: 1px solid var(--line); }
.bar { max-width: 70rem; margin: 0 auto; padding: .55rem var(--margin); display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; }
.brand { display: inline-flex; align-items: center; gap: .5rem; font-weight: 700; font-size: 1.1rem; color: var(--ink); text-decoration: none; }
.brand img { width: 1.75rem; height: 1.75rem; display: block; }
.site-header form[role=search] { flex: 1 1 12rem; max-width: 26rem; margin: 0; }
.site-header .account { margin-left: auto; display: flex; flex-wrap: wrap; align-items: center; gap: 0 .75rem; }
.site-nav { display: flex; gap: .15rem; max-width: 70rem; margin: 0 auto; padding: 0 .5rem; overflow-x: auto; scrollbar-width: thin; }
.site-nav a { padding: .45rem .6rem .5rem; color: var(--soft); text-decoration: none; white-space: nowrap; border-bottom: 3px solid transparent; }
.site-nav a:hover { color: var(--ink); }
.site-nav a[aria-current] { color: var(--ink); border-bottom-color: var(--accent); font-weight: 600; }
.site-nav a:focus-visible { outline-offset: -3px; }
main { flex: 1; width: 100%; max-width: 70rem; margin: 0 auto; padding: 1.75rem var(--margin) 3.5rem; }
main.narrow { max-width: 44rem; }
.site-footer { border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
.site-footer a { color: inherit; padding-block: .15rem; min-width: 1.5rem; }

details.menu { position: relative; }
details.menu summary { position: relative; max-width: min(16rem, 50vw); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; list-style: none; cursor: pointer; padding: .35rem 1.9rem .35rem .75rem; border: 1px solid var(--edge); border-radius: 2rem; }
details.menu summary::-webkit-details-marker { display: none; }
details.menu summary::after { content: "▾"; content: "▾" / ""; position: absolute; right: .75rem; color: var(--soft); }
details.menu > div { position: absolute; right: 0; top: calc(100% + .35rem); z-index: 2; min-width: 11rem; padding: .4rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; box-shadow: 0 6px 24px rgb(10 15 35 / 18%); }
details.menu > div > a, details.menu button { display: block; width: 100%; text-align: start; padding: .4rem .6rem; border: 0; border-radius: .4rem; background: none; color: var(--ink); text-decoration: none; }
details.menu > div > a:hover, details.menu button:hover { background: var(--tint); }

.soft { color: var(--soft); font-size: .9rem; }
.soft time, td time { white-space: nowrap; }
.card, .items, fieldset, .table { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; box-shadow: var(--shadow); }
.card { padding: 1rem 1.15rem; margin: 1rem 0; }
.card > :first-child { margin-top: 0; }
.head.card > div { flex: 1 1 18rem; }
.qr { width: 11rem; flex: none; border-radius: .6rem; }
.card > :last-child, fieldset > :last-child { margin-bottom: 0; }
.notice, .problem { border-radius: .6rem; padding: .7rem 1rem; margin: 1rem 0; border-inline-start: .3rem solid var(--good); background: var(--card); }
.problem { border-color: var(--bad); background: var(--bad-tint); }
.notice form { display: inline; }
.page-head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .5rem 1.5rem; margin-bottom: 1rem; }
.page-head h1, .page-head h2 { margin: 0; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 1.5rem; align-items: start; }
.head { display: flex; flex-wrap: wrap; gap: 1.25rem; align-items: flex-start; }
.columns.two { grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); align-items: stretch; gap: 0 1.25rem; }
.head > div { flex: 1 1 6rem; min-width: 0; }
.head progress { max-width: 26rem; }
.head > div > :first-child { margin-top: 0; }
.logo { width: 9rem; height: 9rem; flex: none; border-radius: .8rem; object-fit: cover; background: var(--tint); }
.logo.small { width: 3.5rem; height: 3.5rem; border-radius: .5rem; }
.text { text-align: start; white-space: pre-line; margin-top: 1.25rem; max-width: 48rem; }
.brief, .grid a > span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-clamp: 2; overflow: hidden; margin: .2rem 0 0; }

.items, .tags, .grid { list-style: none; margin: .75rem 0; padding: 0; }
.items > li { padding: .8rem 1rem; display: flex; gap: .9rem; align-items: flex-start; flex-wrap: wrap; }
.items > li + li { border-top: 1px solid var(--line); }
.items > li > div { flex: 1 1 11rem; min-width: 0; }
.items a { font-weight: 600; text-decoration: none; }
.items a.quiet { font-weight: inherit; color: inherit; }
.items a:hover { text-decoration: underline; }
.items .soft a { font-weight: inherit; text-decoration: underline; }
.tags { display: flex; flex-wrap: wrap; gap: .4rem; }
.tags a, .tag { display: inline-block; background: var(--tint); border-radius: 1rem; padding: .1rem .7rem; font-size: .875rem; text-decoration: none; color: var(--ink); }
.tags a:hover { text-decoration: underline; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 1.25rem 1rem; }
.grid .logo { width: 100%; height: auto; aspect-ratio: 1; display: block; margin-bottom: .4rem; }
.grid > li { position: relative; min-width: 0; }
:is(.items, .grid) > li > input { width: 1.5rem; height: 1.5rem; }
.grid > li > input { position: absolute; top: .5rem; inset-inline-start: .5rem; box-shadow: 0 0 0 2px var(--card); border-radius: .25rem; }
.grid a { display: block; font-weight: 600; text-decoration: none; color: var(--ink); }
.grid a:hover { text-decoration: underline; }
.grid a > span { -webkit-line-clamp: 4; line-clamp: 4; margin: 0; }

.actions { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: 1.1rem 0; }
.actions form { display: contents; }
button, .button { font: inherit; line-height: 1.4; display: inline-block; cursor: pointer; padding: .45rem 1rem; border: 1px solid var(--accent); border-radius: .5rem; background: var(--accent); color: var(--on-accent); text-decoration: none; }
button:hover, .button:hover { filter: brightness(1.08); text-decoration: none; }
button.plain, .button.plain { background: var(--card); color: var(--accent); border-color: var(--edge); }
button.danger { background: var(--card); color: var(--bad); border-color: var(--bad); }
button.link { background: none; border: 0; padding: .15rem 0; color: var(--accent); text-decoration: underline; }
button:disabled { opacity: .6; cursor: default; }

form.inline { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: 1.25rem 0; }
form.inline .field { margin: 0; }
form.inline .field input { margin-top: .2rem; }
form.inline .field:has(> input) { flex: 1 1 14rem; }
form.inline .field:has(> select) { max-width: min(16rem, 100%); }
.form-bar { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: .7rem 1rem; }
.form-bar .field { display: flex; gap: .5rem; align-items: center; margin: 0; max-width: none; }
.form-bar label { white-space: nowrap; }
.form-bar select { margin: 0; }
html:has(.form-bar) { scroll-padding-bottom: 10rem; }
form:has(input:checked) > .form-bar { position: sticky; bottom: .75rem; z-index: 1; box-shadow: 0 6px 24px rgb(10 15 35 / 18%); }
form[data-submit-on-change] :target { scroll-margin-top: 100vh; }
form.inline input, form.inline select { height: 2.7rem; }
form.inline button { height: 2.7rem; }
form.inline .field:has(> input[type=date]) { flex: none; }
form.inline:has(.error) { align-items: start; }
form.inline:has(.error) > button { margin-top: 1.75rem; }
fieldset { margin: 1rem 0; padding: .75rem 1.15rem 1.15rem; min-width: 0; }
legend { font-weight: 600; padding: 0 .35rem; }
.field { margin: 1rem 0; max-width: min(26rem, 100%); }
.field > label { display: block; font-weight: 600; }
.hint { color: var(--soft); font-size: .9rem; margin: .1rem 0; }
.field .error { color: var(--bad); font-size: .9rem; margin: .25rem 0 0; }
input, select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .5rem; padding: .45rem .65rem; width: 100%; margin-top: .2rem; }
input[aria-invalid] { border-color: var(--bad); border-width: 2px; }
input[type=checkbox] { width: 1.15rem; height: 1.15rem; margin: 0; flex: none; accent-color: var(--accent); }
.check { display: flex; gap: .65rem; align-items: baseline; margin: .75rem 0; }
.check input { position: relative; top: .18rem; }
input[type=file] { border-style: dashed; }
.site-header input { margin: 0; border-radius: 2rem; padding-inline: 1rem; }

.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: start; padding: .6rem .9rem; color: var(--soft); font-size: .9rem; }
th, td { text-align: start; padding: .55rem .9rem; vertical-align: top; }
.table[tabindex] :is(th, td):not(:first-child) { overflow-wrap: break-word; }
.table[tabindex] :is(th, td):first-child { min-width: 5rem; }
thead th { color: var(--soft); font-size: .875rem; font-weight: 600; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { font-weight: inherit; }
td.number, th.number { text-align: end; }
td.number, th.number, td.action { white-space: nowrap; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem; margin: 1rem 0; }
dl.facts dt { color: var(--soft); }
dl.facts dd { margin: 0; min-width: 0; }
progress { appearance: none; width: 100%; height: .4rem; border: 0; border-radius: 1rem; overflow: hidden; background: var(--line); display: block; margin-top: .45rem; }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
.pager { display: flex; gap: .6rem; align-items: center; margin-top: 1.25rem; }
.welcome { max-width: 40rem; }
.welcome .lead { font-size: 1.2rem; color: var(--soft); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1rem 0; padding: 0; }
.figures > div { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: .8rem 1rem; }
.figures dt { color: var(--soft); font-size: .875rem; }
.figures dd { margin: 0; font-size: 1.5rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.chart { display: block; width: 100%; height: auto; }
.chart .mark { fill: var(--accent); }
.chart .none { fill: var(--line); }
.chart.bars { height: 9rem; }
.chart.share { height: .3rem; margin-top: .35rem; border-radius: 1rem; }
figure { margin: .75rem 0 0; }
.scale { display: flex; justify-content: space-between; color: var(--soft); font-size: .8rem; margin-top: .3rem; }
.heat { display: grid; grid-template-columns: auto 1fr; gap: 0 .6rem; }
.heat .chart { height: 12rem; }
.heat .scale { grid-column: 2; }
.weekdays { display: grid; grid-template-rows: repeat(7, 1fr); align-items: center; color: var(--soft); font-size: .8rem; }
summary { cursor: pointer; padding-block: .15rem; }
.chart-data { margin-top: .6rem; color: var(--soft); font-size: .9rem; }
.chart-data table { color: var(--ink); }
.tags a[aria-current] { background: var(--accent); color: var(--on-accent); }
audio, video { width: 100%; display: block; }
video { aspect-ratio: 16 / 9; max-height: 80vh; background: #000; border-radius: .5rem; }
.player .actions { margin: .75rem 0 0; }
.player label { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; }
.player select { width: auto; margin: 0; }

@media (max-width: 40rem) {
  .logo { width: 5.5rem; height: 5.5rem; }
  h1 { font-size: 1.4rem; }
  table { font-size: .9rem; }
  th, td { padding-inline: .6rem; }
  .figures dd { font-size: 1.25rem; }
  form.inline .field:is(:has(> select), :has(> input[type=date])) { flex: 1 1 9rem; }
  .grid { grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr)); }
  .site-header form[role=search] { order: 3; flex-basis: 100%; max-width: none; }
  dl.facts { grid-template-columns: 1fr; gap: 0; }
  dl.facts dd { margin-bottom: .6rem; }
}
@media (forced-colors: active) {
  .site-nav a:not([aria-current]) { border-bottom-color: Canvas; }
  .tags a[aria-current] { forced-color-adjust: none; background: Highlight; color: HighlightText; }
  progress { border: 1px solid CanvasText; }
  progress::-webkit-progress-value { background: Highlight; }
  progress::-moz-progress-bar { background: Highlight; }
}
@media print { .site-header, .site-footer { display: none; } }
@media (prefers-reduced-motion: no-preference) { button, .button, a { transition: filter .1s, color .1s; } }
`;
