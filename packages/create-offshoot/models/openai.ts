import { modelFromEnv } from 'offshoot';
import { openai } from 'offshoot/models/openai';

/** The model of every agent: `OFFSHOOT_MODEL` names it, and its key is `OPENAI_API_KEY`. */
export const model = modelFromEnv([openai]);
