/** The client that the hooks ask. */
import { createContext, createElement, type ReactNode, useContext } from 'react';
import type { Client } from '../client/client';
import { ClientError } from '../client/errors';

const Context = createContext<Client | undefined>(undefined);

/** Properties of `OffshootProvider`. */
export interface OffshootProviderProps {
  /** The client. Create it once, outside of any component: hooks with the same client share connections. */
  readonly client: Client;
  readonly children?: ReactNode;
}

/**
 * Provides a client to the hooks of the components below.
 * @example
 * const client = createClient({ baseUrl: '' });
 * const app = <OffshootProvider client={client}><Page /></OffshootProvider>;
 */
export function OffshootProvider({ client, children }: OffshootProviderProps): ReactNode {
  return createElement(Context.Provider, { value: client }, children);
}

/**
 * The client of the nearest provider, or the given one.
 * @throws {ClientError} without either
 */
export function useClient(given?: Client): Client {
  const provided = useContext(Context);
  const client = given ?? provided;
  if (client === undefined)
    throw new ClientError('There is no client: wrap the app in <OffshootProvider client={createClient(…)}>.');
  return client;
}
