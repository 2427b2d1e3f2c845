import { scriptedModel } from 'offshoot';

const CHAPTERS = ['Spring', 'Summer', 'Winter'];

/** Works by rules, in place of a language model. */
export const offline = scriptedModel(({ step, message, results }) => {
  const title = CHAPTERS[step - 1];
  if (title !== undefined) {
    const input = { title, text: `${message} In ${title.toLowerCase()}: much.` };
    return { calls: [{ name: 'write_chapter', input }] };
  }
  const last = results.at(-1);
  if (last?.name === 'write_chapter') return { calls: [{ name: 'ask_reader', input: { question: 'Which title?' } }] };
  if (last?.name === 'ask_reader') return { calls: [{ name: 'bind', input: { title: last.value } }] };
  return { text: 'The report is in report.md.' };
});
