import { modelFromEnv } from 'offshoot';
import { workersAi } from 'offshoot/models/workers-ai';

/** The model of every agent: that of the binding `AI`, or the one that `OFFSHOOT_MODEL` names. */
export const model = modelFromEnv([workersAi]);
