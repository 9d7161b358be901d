import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import { readPage } from '../../http/input.ts';
import type { PageNumber } from '../../pages/parts/components.ts';

/** The requested page of a number of items. Throws `missing` if it does not exist. */
export function pageOf(event: H3Event, items: number, perPage: number): PageNumber {
  const number = { page: readPage(event), pages: Math.max(1, Math.ceil(items / perPage)) };
  if (number.page > number.pages) throw new Refusal('missing', 'this page does not exist; go to the first one');
  return number;
}

/** The items of a page. */
export const partOf = <Item>(items: readonly Item[], { page }: PageNumber, perPage: number): readonly Item[] =>
  items.slice((page - 1) * perPage, page * perPage);
