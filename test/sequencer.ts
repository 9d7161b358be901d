import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of the same project share processes as long as they follow each other. The last project has only short files. */
const PROJECTS = ['long', 'browser', 'clients', 'sqlite', 'postgres', 'json'];
/** These take longest. */
const FIRST = /\/test\/(?:property\/routes|storage\/drivers|model\/)/;

/** One project after the other, and in each the longest files first: then no worker waits long for the last one. */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number =>
      2 * PROJECTS.indexOf(project.name) + (FIRST.test(moduleId) ? 0 : 1);
    // oxlint-disable-next-line unicorn/no-array-sort -- this is not an array
    const largestFirst = await super.sort(files);
    return largestFirst.toSorted((a, b) => rank(a) - rank(b));
  }
}
