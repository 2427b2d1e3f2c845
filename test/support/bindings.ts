/**
 * What the Workers runtime hands to the tests, as `test/support/wrangler.jsonc` configures it: the generated types of
 * `cloudflare:workers` know the shipped Worker alone.
 */
import { env, exports } from 'cloudflare:workers';
import type { LibraryShelf } from '../../src/desk/library-types';
import type { OffshootAgent, OffshootDirectory, OffshootRpc } from '../../src/worker';
import type { Author } from './author';
import type { Form, Leaf, Middle, Nest, Tiny, Top } from './worker';

/** The bindings. */
export interface Bindings {
  readonly TOP: DurableObjectNamespace<Top>;
  readonly MIDDLE: DurableObjectNamespace<Middle>;
  readonly LEAF: DurableObjectNamespace<Leaf>;
  readonly NEST: DurableObjectNamespace<Nest>;
  readonly TINY: DurableObjectNamespace<Tiny>;
  readonly FORM: DurableObjectNamespace<Form>;
  readonly WRITERS: DurableObjectNamespace<Author>;
  /** As the desk knows it: the types that the platform makes of a class with JSON in its answers do not end. */
  readonly LIBRARY: { getByName(name: string): LibraryShelf & DurableObjectStub };
  readonly OFFSHOOT_AGENT: DurableObjectNamespace<OffshootAgent>;
  readonly OFFSHOOT_DIRECTORY: DurableObjectNamespace<OffshootDirectory>;
  readonly RPC: Service<OffshootRpc>;
}

/** The bindings of the Worker under test. */
export const bindings = env as unknown as Bindings;

/** What the Worker under test exports: its own handler, and its classes. */
export const served = exports as unknown as { readonly default: Fetcher; readonly [name: string]: object };
