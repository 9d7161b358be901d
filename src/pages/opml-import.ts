import { countOf } from '../domain/count.ts';
import type { Device, PodcastEntry } from '../domain/types.ts';
import type { LibraryImportReport } from '../services/sync/library.ts';
import { renderDeviceChoice } from './parts/device.ts';
import { type Problems, renderField, renderProblem, renderToken, toSentence } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { type Markup, markup } from './parts/markup.ts';

/** The most entries that are shown of each kind. */
const MAX_SHOWN = 500;

const render = (content: Markup): Page => ({
  title: 'Import OPML',
  isNarrow: true,
  content: markup`<h1>Import OPML</h1>\n${content}`,
});

interface ImportForm {
  /** The largest file. Megabytes. */
  maxFile: number;
  base: string;
  csrf: string;
  devices: readonly Device[];
  device?: string | undefined;
  problems?: Problems;
}

/** The form for choosing a file. */
export const renderImportForm = ({ maxFile, base, csrf, devices, device, problems = {} }: ImportForm): Page =>
  render(markup`<p>Podcast apps can export their subscriptions as an OPML file. You see what is in it before anything changes.</p>
${renderProblem(problems.form)}
<form method="post" action="${base}/subscriptions/import" enctype="multipart/form-data">${renderToken(csrf)}
${renderField({ name: 'opml', label: 'OPML file', type: 'file', hint: `Up to ${maxFile} MB.`, problem: problems.opml, input: { required: true, accept: '.opml,.xml,text/xml,text/x-opml' } })}
${renderDeviceChoice({ devices, value: device, problem: problems.device })}
<p class="actions"><button>Preview</button><a class="button plain" href="${base}/subscriptions">Cancel</a></p>
</form>`);

interface ImportPreview extends LibraryImportReport {
  base: string;
  csrf: string;
  /** The file itself: the form sends it again for the import. */
  opml: string;
  device: string;
  problem?: string | undefined;
}

/** What a file would change. */
export function renderImportPreview(preview: ImportPreview): Page {
  const { base, csrf, opml, device, added, present, rewritten, refused, problem } = preview;
  const refusals = refused.map(({ url, reason }) => ({ url, title: url, reason: toSentence(reason) }));
  const changed = rewritten.map(({ from, to }) => ({ url: to, title: to, reason: `In the file: ${from}` }));
  return render(markup`${renderProblem(problem)}
<p>${countOf(added.length, 'new podcast')}, ${present.length} already in your subscriptions, ${refused.length} refused.</p>
<form method="post" action="${base}/subscriptions/import" enctype="multipart/form-data" class="actions">
${renderToken(csrf)}<input type="hidden" name="device" value="${device}"><input type="hidden" name="confirmed" value="${opml}">
${added.length > 0 ? markup`<button>Subscribe to ${countOf(added.length, 'podcast')}</button>` : ''}<a class="button plain" href="${base}/subscriptions/import">Choose another file</a>
</form>
${renderEntries('New', added)}
${renderEntries('Refused', refusals)}
${renderEntries('Stored under another address', changed)}
${renderEntries('Already in your subscriptions', present)}`);
}

function renderEntries(heading: string, entries: readonly (PodcastEntry & { reason?: string })[]): Markup | undefined {
  if (entries.length === 0) return undefined;
  const items = entries.slice(0, MAX_SHOWN).map(({ url, title, reason }) => {
    const details = reason ?? (title && url);
    return markup`<li><div>${title || url}${details && markup`<div class="soft">${details}</div>`}</div></li>\n`;
  });
  const more = entries.length - items.length;
  return markup`<h2>${heading}</h2>
<ul class="items">${items}</ul>${more > 0 ? markup`<p class="soft">And ${more} more.</p>` : ''}`;
}
