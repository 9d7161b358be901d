import { compareText, type UserRecord } from '../../src/old-plugin.ts';

/** One kind of the records that an account is made of. */
export type UserRecordOf<Kind extends UserRecord['kind']> = Extract<UserRecord, { kind: Kind }>;

/** The device groups of an account in the order of an export. */
export const toGroupRecords = (groups: readonly (readonly string[])[]): UserRecordOf<'group'>[] =>
  groups
    .map((group) => group.toSorted(compareText))
    .toSorted(([a], [b]) => compareText(a!, b!))
    .map((devices) => ({ kind: 'group', devices }));

/** Records of a page. */
const PAGE = 1000;

/** All of the records in pages, none empty. */
export function* pagesOf(records: readonly UserRecord[]): Iterable<UserRecord[]> {
  for (let at = 0; at < records.length; at += PAGE) yield records.slice(at, at + PAGE);
}
