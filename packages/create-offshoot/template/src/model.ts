import { routingScriptedModel } from 'offshoot';

/** A script in place of a model: it needs no key, and answers every question alike. README.md says how to change it. */
export const model = routingScriptedModel(
  {
    planner: [
      { calls: [{ name: 'subagent__timekeeper', input: { zone: 'Asia/Tokyo' } }] },
      { text: 'The timekeeper has read the clock in Tokyo. (A script wrote this answer: see src/model.ts.)' },
    ],
    timekeeper: [
      { calls: [{ name: 'time_in', input: { zone: 'Asia/Tokyo' } }] },
      { text: 'The tool time_in returned the time in Tokyo.' },
    ],
  },
  { record: false },
);
