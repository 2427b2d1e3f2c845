import { env } from 'cloudflare:workers';
import { defineAgent } from 'offshoot';
import { defaultModel } from 'offshoot/models';
import { serve } from 'offshoot/worker';

const poet = defineAgent({ name: 'poet', systemPrompt: 'Write a poem of four lines.', model: defaultModel });

const front: unknown = Reflect.get(env, 'FRONT_ORIGIN');

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([poet], { allowedOrigins: [typeof front === 'string' ? front : 'http://localhost:3000'] });
