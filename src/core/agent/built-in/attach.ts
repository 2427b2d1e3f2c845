/**
 * `__attach__`: a child names files of its own that go with its answer, where its parent lets it.
 *
 * Keeps CF5.
 */
import * as z from 'zod';
import { ATTACH_TOOL } from '../../../protocol/messages';
import { MAX_CONTENT_BYTES } from '../../definition/limits';
import { enclose, MAX_ENCLOSED } from '../calls/enclosures';
import type { BuiltInTool } from '../rules';
import { filesSchema, no } from './companions/names';

const inputSchema = z.strictObject({ files: filesSchema });

/** The row of `__attach__`. */
export const attach: BuiltInTool = {
  name: ATTACH_TOOL,
  of(_definition, { givesFiles }) {
    if (!givesFiles) return undefined;
    return {
      description:
        'Returns files with your answer: the agent that gave you the task gets copies of their current content when the task ends.',
      endsRun: false,
      inputSchema,
      needs: (args) => ({ names: [], files: inputSchema.parse(args).files }),
      apply(draft, call) {
        const { run } = draft.state;
        if (run?.task === undefined) return no('invalid_arguments', 'No agent waits for files of this run.');
        const { gives = [] } = run;
        const { files } = inputSchema.parse(call.args);
        if (gives.length + files.length > MAX_ENCLOSED)
          return no(
            'invalid_arguments',
            `At most ${MAX_ENCLOSED} files can be returned; ${gives.length} have been returned already.`,
          );
        const enclosed = enclose(draft, call, files, MAX_CONTENT_BYTES);
        if ('kind' in enclosed) return enclosed;
        draft.setRun({ ...run, gives: [...gives, ...enclosed] });
        return { kind: 'immediate', result: { success: true, value: { attached: gives.length + enclosed.length } } };
      },
    };
  },
};
