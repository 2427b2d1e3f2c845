/**
 * `__finish__`: how an agent with a typed output ends, where it has no `finishWith` tools of its own. Beside those it
 * would be a way past what they check (decision 9).
 *
 * Keeps ST5, ST6.
 */
import * as z from 'zod';
import { FINISH_TOOL, synthesizeFinishToolResult } from '../../../protocol/messages';
import { isOfArguments, jsonSchemaOf } from '../../definition/schemas/schema';
import type { BuiltInTool } from '../rules';

/** Its arguments are the output itself where that is an object, else `{ output }`: models give objects. */
function argumentsFor(output: z.core.$ZodType): { readonly inputSchema: z.core.$ZodType; readonly outputKey?: string } {
  if (isOfArguments(jsonSchemaOf(output))) return { inputSchema: output };
  const inputSchema = z.object({ output }).transform((given) => given.output ?? null);
  return { inputSchema, outputKey: 'output' };
}

/** The row of `__finish__`. */
export const finish: BuiltInTool = {
  name: FINISH_TOOL,
  of({ outputSchema, strictOutput, tools }) {
    if (outputSchema === undefined || tools.some((tool) => tool.finishWith)) return undefined;
    return {
      description: 'Ends your work. Call it once, with your final output.',
      endsRun: true,
      ...(strictOutput ? { shown: { strict: true } } : {}),
      ...argumentsFor(outputSchema),
      apply: (_draft, { callId, args }) => ({
        kind: 'immediate',
        result: synthesizeFinishToolResult(callId).result,
        ends: { output: args },
      }),
    };
  },
};
