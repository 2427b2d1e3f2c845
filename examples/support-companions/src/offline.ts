import { routingScriptedModel, type ScriptRequest, type ScriptStep } from 'offshoot';
import { z } from 'zod';

const found = z.object({ order: z.string(), status: z.string(), euros: z.number() });
const answer = z.object({ output: z.string() });

/** A companion looks up the order that was named last, in this message or an earlier one. */
function companion({ prompt, results }: ScriptRequest, say: (order: z.infer<typeof found>) => string): ScriptStep {
  const order = found.safeParse(results[0]?.value).data;
  if (order !== undefined) return { text: say(order) };
  const named = [...JSON.stringify(prompt.filter(({ role }) => role === 'user')).matchAll(/order (\d+)/g)].at(-1)?.[1];
  if (named === undefined) return { text: 'Which order?' };
  return { calls: [{ name: 'find_order', input: { order: named } }] };
}

/** Works by rules, in place of a language model. */
export const offline = routingScriptedModel({
  desk: ({ message, results }) => {
    const said = answer.safeParse(results[0]?.value).data;
    if (said !== undefined) return { text: said.output };
    const agent = /cost|pay|money/.test(message) ? 'billing' : 'orders';
    const input = { agent, name: agent, initialMessage: message };
    return { calls: [{ name: 'companion__spawnAgent', input }] };
  },
  orders: (asked) => companion(asked, ({ order, status }) => `Order ${order} is ${status}.`),
  billing: (asked) => companion(asked, ({ order, euros }) => `Order ${order} costs ${euros} euros.`),
});
