/** A tool of the framework that no agent is offered: it awaits tasks of children with names, whichever call began them. */
import { z } from 'zod';
import { keyOf } from '../../src/core/agent/children/child';
import type { BuiltInTool } from '../../src/core/agent/rules';
import { failure } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';

const inputSchema = z.object({
  names: z.array(z.string()),
  /** All by default; `any` is one of them. */
  need: z.union([z.literal('any'), z.number()]).optional(),
});

const namesOf = (args: Json): string[] => inputSchema.parse(args).names;

/** `__wait__`, for every agent. */
export const waitTool: BuiltInTool = {
  name: '__wait__',
  of: () => ({
    description: 'Waits for sub-agents.',
    endsRun: false,
    inputSchema,
    needs: (args) => ({ names: namesOf(args) }),
    apply({ state }, { args, atRest }) {
      const known = [...state.children.values(), ...atRest];
      const tasks = namesOf(args).flatMap((name) => {
        const child = known.find((one) => one.name === name);
        return child ? [keyOf(child)] : [];
      });
      if (tasks.length === 0) return { kind: 'refused', error: failure('not_found', 'Nobody has such a name.') };
      const { need = tasks.length } = inputSchema.parse(args);
      return { kind: 'wait', tasks, need: need === 'any' ? 1 : need };
    },
    tell: (ended) => ({
      success: true,
      value: ended.map(({ name = '', task, result }) => ({
        name,
        task,
        told: result.success ? result.value : result.error.code,
      })),
    }),
  }),
};
