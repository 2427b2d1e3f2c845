/**
 * `companion__waitForResult`: waits for the task that a companion has when it is called, or for those of several.
 *
 * Decides: how many companions one wait may name.
 * Keeps CO8, CO26, CO27.
 */
import * as z from 'zod';
import { isPaused } from '../../children/child';
import type { BuiltInTool } from '../../rules';
import type { AwaitedTask } from '../../state';
import { awaited, childNamed, hasCompanions, nameSchema, no, nobody, timeoutSchema, until } from './names';
import { endOf, leftBehind, notEnded, oneEnd } from './told-to-model';

/** So many companions may be awaited by one call. */
const MAX_AWAITED = 256;

const inputSchema = z
  .strictObject({
    name: nameSchema.optional().describe('The companion to wait for.'),
    names: z.array(nameSchema).min(1).max(MAX_AWAITED).optional().describe('Several, in place of `name`.'),
    need: z
      .union([z.enum(['all', 'any']), z.int().positive()])
      .optional()
      .describe('With names: continue when all of them have ended (default), when any has, or when this number has.'),
    others: z
      .enum(['continue', 'stop'])
      .optional()
      .describe(
        'With names: what happens to the others then. continue (default): they keep working. stop: they are paused until you send them a message.',
      ),
    timeout: timeoutSchema
      .optional()
      .describe('The longest wait, in ms; no limit by default. The companions keep working.'),
  })
  .refine(({ name, names }) => (name === undefined) !== (names === undefined), 'Give either `name` or `names`.')
  .refine(({ names, need }) => need === undefined || names !== undefined, '`need` is for `names` only.')
  .refine(({ names, others }) => others === undefined || names !== undefined, '`others` is for `names` only.');

type Args = z.output<typeof inputSchema>;

const namesOf = ({ name, names = [] }: Args): string[] => [...new Set(name === undefined ? names : [name])];

function needOf({ need = 'all' }: Args, count: number): number {
  if (need === 'all') return count;
  return need === 'any' ? 1 : need;
}

/** The row of `companion__waitForResult`. */
export const waitForResult: BuiltInTool = {
  name: 'companion__waitForResult',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    return {
      description:
        'Waits until the current task of a companion has ended, and returns its output, at once if the task has already ended. Given several names, waits for all, any or a number of them.',
      endsRun: false,
      inputSchema,
      needs: (args) => ({ names: namesOf(inputSchema.parse(args)) }),
      apply(draft, call) {
        const args = inputSchema.parse(call.args);
        const names = namesOf(args);
        const tasks: AwaitedTask[] = [];
        for (const name of names) {
          const child = childNamed(draft, call, name);
          if (child === undefined) return nobody(name);
          if (isPaused(child))
            return no(
              'interrupted',
              `"${name}" is paused, and does nothing until you send it a message. Send one, then wait for it.`,
            );
          tasks.push(awaited(child));
        }
        const need = needOf(args, names.length);
        if (need > names.length)
          return no('invalid_arguments', `\`need\` must be from 1 to ${names.length}, not ${need}.`);
        const others = args.others === 'stop' ? { others: args.others } : {};
        return { kind: 'wait', tasks, need, ...others, ...until(call.at, args.timeout) };
      },
      tell(ended, { open, input }) {
        const args = inputSchema.safeParse(input);
        if (!args.success || args.data.names === undefined) return oneEnd(ended, open, 'result');
        const children = ended.map((end) => endOf(end, 'result'));
        if (ended.length >= needOf(args.data, namesOf(args.data).length))
          return { success: true, value: { children: [...children, ...open.map(leftBehind)] } };
        const late = open.map(notEnded);
        const timedOut = late.length > 0 ? { timedOut: true } : {};
        return { success: true, value: { children: [...children, ...late], ...timedOut } };
      },
    };
  },
};
