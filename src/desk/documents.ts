/** The documents of a root of the desk, as its verbs list, share and remove them. */

import { beginningOf } from '../protocol/content/cut';
import { OffshootError } from '../protocol/errors';
import type { DocumentFacts, RootDocuments } from '../protocol/wire/documents';
import type { DocumentInfo, LibraryAnswer } from './library-types';
import { hasLibrary, SHARED_PREFIX, shelvesOf } from './library-types';

const factsOf = ({ name, title, origin, bytes }: DocumentInfo): DocumentFacts => ({
  name,
  title,
  origin: origin === 'upload' ? 'own' : origin,
  bytes,
});

function must<Value extends object>(answer: LibraryAnswer<Value>): Value {
  if (!answer.ok) throw new OffshootError(answer.error.code, answer.error.message);
  return answer;
}

/** The documents of the root at an address; without a binding `LIBRARY` they are `unavailable`, and there is nothing to forget. */
export function documentsOf(env: unknown, address: string): RootDocuments {
  return {
    async list() {
      const { own, shared } = shelvesOf(env, address);
      const [all, mine] = await Promise.all([shared.list(), own.list()]);
      return [...all.documents, ...mine.documents].map(factsOf);
    },
    async remove(name) {
      must(await shelvesOf(env, address).own.remove(name));
    },
    async share(name) {
      const { own, shared } = shelvesOf(env, address);
      const copy = await own.copyOf(name);
      if (copy === undefined)
        throw new OffshootError('not_found', `This root owns no document "${beginningOf(name, 200)}".`);
      return factsOf(must(await shared.copy(copy)).document);
    },
    async unshare(name) {
      // What is shipped has no such name.
      const { shared } = shelvesOf(env, address);
      must(await shared.remove(name.startsWith(SHARED_PREFIX) ? name : `${SHARED_PREFIX}${name}`));
    },
    async forget() {
      if (hasLibrary(env)) await shelvesOf(env, address).own.forget();
    },
  };
}
