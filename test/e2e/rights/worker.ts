/** The agents of `nested`, and a right to read them that can be taken away and given back. */
import { Buffer } from 'node:buffer';
import type { AccessQuestion } from '../../../src/access/authorize';
import { createWorker } from '../../../src/worker';
import { Branch, OffshootDirectory, Trunk, Twig } from '../nested/worker';

export { Branch, OffshootDirectory, Trunk, Twig };

/** Who may not read any more, with what they are told. One process serves all requests, so its memory is enough. */
const refused = new Map<string, 'unauthorized' | 'forbidden'>();

function authorize(request: Request, { action }: AccessQuestion) {
  const subject = bearerOf(request);
  const now = refused.get(subject);
  return action === 'read' && now !== undefined ? { refused: now } : { subject };
}

/** The token of a request: in its header, or where a socket brings it. */
function bearerOf(request: Request): string {
  const protocols = request.headers.get('sec-websocket-protocol') ?? '';
  const encoded = /base64url\.([\w-]+)/u.exec(protocols)?.[1] ?? '';
  return request.headers.get('authorization')?.replace('Bearer ', '') ?? Buffer.from(encoded, 'base64url').toString();
}

const worker = createWorker({ agents: [Trunk, Branch, Twig], authorize });

export default {
  /** `PUT /rights/{token}/{unauthorized | forbidden}` takes a right away. */
  async fetch(request: Request, env: never, context: never): Promise<Response> {
    const [, rights, token, how] = new URL(request.url).pathname.split('/');
    if (rights !== 'rights') return worker.fetch(request, env, context);
    if (token !== undefined && (how === 'unauthorized' || how === 'forbidden')) refused.set(token, how);
    return new Response(null, { status: 204 });
  },
};
