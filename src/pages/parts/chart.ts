import type { Seconds } from '../../domain/types.ts';
import { type Markup, markup } from './markup.ts';
import { toDuration } from './time.ts';

/*
 * Charts of listening time: SVG that fills the available width, labels as text beside it so that they stay legible on a
 * phone, and a table for each.
 */

interface Bar {
  label: string;
  listened: Seconds;
}

interface BarChart {
  /** Description for screen readers, and title of the table. */
  caption: string;
  /** What a bar represents, such as `Day`. */
  heading: string;
  bars: readonly Bar[];
}

/** SVG units: width of a bar, gap, and height of the chart. */
const [WIDTH, GAP, HEIGHT] = [10, 2, 100];

/** A chart with a bar for each period. */
export function renderBars({ caption, heading, bars }: BarChart): Markup {
  const most = Math.max(...bars.map(({ listened }) => listened));
  const marks = bars.map(({ label, listened }, at) => {
    const height = listened === 0 ? 0.5 : Math.max(1, Math.round((HEIGHT * listened) / most));
    return markup`<rect x="${at * WIDTH + GAP / 2}" y="${HEIGHT - height}" width="${WIDTH - GAP}" height="${height}" class="${listened === 0 ? 'none' : 'mark'}"><title>${label}: ${toDuration(listened)}</title></rect>`;
  });
  const rows = bars.map(
    ({ label, listened }) =>
      markup`<tr><th scope="row">${label}</th><td class="number">${toDuration(listened)}</td></tr>\n`,
  );
  return markup`<figure>
<svg class="chart bars" viewBox="0 0 ${bars.length * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${caption}">${marks}</svg>
<div class="scale" aria-hidden="true"><span>${bars[0]?.label}</span><span>${bars.at(-1)?.label}</span></div>
${renderTable(caption, markup`<th scope="col">${heading}</th><th scope="col" class="number">Time</th>`, rows)}
</figure>`;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** Listening time by weekday from Monday, then by hour: the more, the stronger the colour. */
export function renderHeatMap(caption: string, hours: readonly (readonly Seconds[])[]): Markup {
  const most = Math.max(...hours.flat());
  const cells = hours.flatMap((row, day) =>
    row.map((listened, hour) => {
      const opacity =
        listened === 0 ? undefined : markup` fill-opacity="${(0.15 + (0.85 * listened) / most).toFixed(2)}"`;
      return markup`<rect x="${hour * WIDTH + 0.5}" y="${day * WIDTH + 0.5}" width="${WIDTH - 1}" height="${WIDTH - 1}" class="${opacity ? 'mark' : 'none'}"${opacity}><title>${WEEKDAYS[day]}, ${HOURS[hour]}:00: ${toDuration(listened)}</title></rect>`;
    }),
  );
  const rows = HOURS.map((name, hour) => {
    const columns = hours.map(
      (row) => markup`<td class="number">${row[hour] === 0 ? '' : toDuration(row[hour]!)}</td>`,
    );
    return markup`<tr><th scope="row">${name}:00</th>${columns}</tr>\n`;
  });
  const head = WEEKDAYS.map((name) => markup`<th scope="col" class="number">${name}</th>`);
  return markup`<figure>
<div class="heat"><div class="weekdays" aria-hidden="true">${WEEKDAYS.map((name) => markup`<span>${name.slice(0, 3)}</span>`)}</div>
<svg class="chart" viewBox="0 0 ${24 * WIDTH} ${7 * WIDTH}" preserveAspectRatio="none" role="img" aria-label="${caption}">${cells}</svg>
<div class="scale" aria-hidden="true">${['00', '06', '12', '18', '24'].map((hour) => markup`<span>${hour}</span>`)}</div></div>
${renderTable(caption, markup`<th scope="col">Hour (UTC)</th>${head}`, rows)}
</figure>`;
}

const renderTable = (caption: string, head: Markup, rows: readonly Markup[]): Markup =>
  markup`<details class="chart-data"><summary>Show as a table</summary>
<div class="table" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>
${rows}</tbody></table></div></details>`;

/** A bar that shows this value as a share of the largest one. */
export const renderShare = (listened: Seconds, most: Seconds): Markup =>
  markup`<svg class="chart share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="none" width="100" height="1"/><rect class="mark" width="${Math.round((100 * listened) / Math.max(1, most))}" height="1"/></svg>`;
