import { modelFromEnv } from 'offshoot';
import { anthropic } from 'offshoot/models/anthropic';

/** The model of every agent: `OFFSHOOT_MODEL` names it, and its key is `ANTHROPIC_API_KEY`. */
export const model = modelFromEnv([anthropic]);
