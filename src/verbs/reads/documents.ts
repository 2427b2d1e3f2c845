/**
 * The documents that go with a root. Who may write may remove what is the root's own; what all roots find takes a right
 * of its own.
 *
 * Keeps D57, D58.
 */
import * as z from 'zod';
import type { ObjectRuntime } from '../../engine/object/object';
import { OffshootError } from '../../protocol/errors';
import type { RootDocuments } from '../../protocol/wire/documents';
import { document, documentList } from '../../protocol/wire/readings';
import * as shape from '../../protocol/wire/shapes';
import { fromTree } from '../verb';

const name = z.string().min(1).max(256);
function documentsAt({ ports, environment }: ObjectRuntime, address: string): RootDocuments {
  const { documents } = ports.definition;
  if (documents === undefined) throw new OffshootError('not_found', 'The agents of this root keep no documents.');
  return documents(environment.bindings, address);
}

/** What the root's agents search. */
export const documents = fromTree({
  name: 'documents',
  method: 'GET',
  path: 'documents',
  action: 'read',
  summary: "The documents that the root's agents search: its own and the shared ones.",
  status: 200,
  errors: [],
  input: shape.nothing,
  output: documentList,
  async handle({ object, node }) {
    return { body: { items: await documentsAt(object, node.address).list() } };
  },
});

/** Removes one of the root's own. */
export const removeDocument = fromTree({
  name: 'removeDocument',
  method: 'DELETE',
  path: 'documents/{path}',
  action: 'write',
  summary: "Removes one of the root's own documents.",
  status: 204,
  errors: [],
  input: z.strictObject({ path: name }),
  output: shape.nothing,
  async handle({ object, node, request, input }) {
    await documentsAt(object, node.address).remove(input.path);
    object.store.transaction(() => request.remember(204, {}, { detail: { document: input.path } }));
    return { body: {} };
  },
});

/** Puts a copy of a document where every root finds it. */
export const shareDocument = fromTree({
  name: 'shareDocument',
  method: 'POST',
  path: 'shared-documents',
  action: 'share',
  summary: "Shares a copy of one of the root's own documents with all roots.",
  status: 201,
  errors: ['payload_too_large'],
  input: z.strictObject({ document: name }),
  output: document,
  async handle({ object, node, request, input }) {
    const body = await documentsAt(object, node.address).share(input.document);
    object.store.transaction(() => request.remember(201, { ...body }, { detail: { document: body.name } }));
    return { body };
  },
});

/** Takes a shared document away. */
export const unshareDocument = fromTree({
  name: 'unshareDocument',
  method: 'DELETE',
  path: 'shared-documents/{path}',
  action: 'share',
  summary: 'Stops sharing a document.',
  status: 204,
  errors: [],
  input: z.strictObject({ path: name }),
  output: shape.nothing,
  async handle({ object, node, request, input }) {
    await documentsAt(object, node.address).unshare(input.path);
    object.store.transaction(() => request.remember(204, {}, { detail: { document: input.path } }));
    return { body: {} };
  },
});
