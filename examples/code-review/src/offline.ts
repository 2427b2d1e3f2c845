import { routingScriptedModel } from 'offshoot';
import { z } from 'zod';

const changed = z.array(z.object({ path: z.string(), text: z.string() }));
const checked = z.object({ findings: z.array(z.object({ path: z.string(), problem: z.string() })) });

/** Works by rules, in place of a language model. */
export const offline = routingScriptedModel({
  review: ({ step, results }) => {
    if (step === 1) return { calls: [{ name: 'changes' }] };
    const files = changed.parse(results[0]?.value);
    if (step === 2) return { calls: files.map((file) => ({ name: 'subagent__checker', input: file })) };
    const reports = results.slice(1).flatMap(({ value }) => checked.safeParse(value).data ?? []);
    return { finish: { files: reports.length, findings: reports.flatMap(({ findings }) => findings) } };
  },
  checker: ({ message }) => {
    const { path, text } = changed.element.parse(JSON.parse(message));
    const findings = text.includes('console.log') ? [{ path, problem: 'It prints to the console.' }] : [];
    return { finish: { findings } };
  },
});
