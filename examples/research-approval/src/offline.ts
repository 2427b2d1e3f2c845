import { routingScriptedModel } from 'offshoot';
import { z } from 'zod';

const facts = z.object({ facts: z.array(z.string()) });

/** Works by rules, in place of a language model. */
export const offline = routingScriptedModel({
  editor: ({ step, message, results }) => {
    const words = message.match(/swarm|honey|winter/gi) ?? ['bees'];
    if (step === 1) return { calls: words.map((word) => ({ name: 'subagent__searcher', input: { word } })) };
    const found = results.flatMap(({ value }) => facts.safeParse(value).data?.facts ?? []);
    const text = [...new Set(found)].join('\n');
    if (step === 2) return { calls: [{ name: 'publish', input: { title: message, text } }] };
    return { text: results.at(-1)?.failed ? 'The report is not published.' : 'The report is published.' };
  },
  searcher: ({ step, message, results }) => {
    if (step === 1) return { calls: [{ name: 'search_notes', input: JSON.parse(message) }] };
    return { finish: { facts: results[0]?.value ?? [] } };
  },
});
