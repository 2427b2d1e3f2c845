/** The agents of `nested`, for people with a cookie or a token, and for pages of one other origin. */
import { env } from 'cloudflare:workers';
import { createWorker } from '../../../src/worker';
import { Branch, OffshootDirectory, Trunk, Twig } from '../nested/worker';

export { Branch, OffshootDirectory, Trunk, Twig };

const PAGES: string = Reflect.get(env, 'PAGES');

function authorize(request: Request) {
  const hasCookie = request.headers.get('cookie')?.includes('who=ann') ?? false;
  const hasToken = [request.headers.get('authorization'), request.headers.get('sec-websocket-protocol')].some((each) =>
    each?.includes('YW5u'),
  );
  return hasCookie || hasToken ? { subject: 'ann' } : ({ refused: 'unauthorized' } as const);
}

export default createWorker({
  agents: [Trunk, Branch, Twig],
  allowedOrigins: [PAGES],
  authorize: Object.assign(authorize, { reads: ['cookie'] }),
});
