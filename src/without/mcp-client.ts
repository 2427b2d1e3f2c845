/**
 * `offshoot/without/mcp-client`: stands for `@modelcontextprotocol/client` in the bundle of an app whose agents are no
 * clients of MCP servers. The SDK imports that package always; an `alias` in wrangler.jsonc leaves it out.
 */
import { OffshootError } from '../protocol/errors';

function unavailable(): OffshootError {
  return new OffshootError(
    'invalid_definition',
    'The client of MCP is not bundled in this Worker: remove the alias of "@modelcontextprotocol/client" in wrangler.jsonc.',
  );
}

class LeftOut {
  constructor() {
    throw unavailable();
  }
}

/** Throws when it is constructed. @throws OffshootError `invalid_definition` */
export class Client extends LeftOut {}
/** Throws when it is constructed. @throws OffshootError `invalid_definition` */
export class SSEClientTransport extends LeftOut {}
/** Throws when it is constructed. @throws OffshootError `invalid_definition` */
export class StreamableHTTPClientTransport extends LeftOut {}
/** No error is one of these. */
export class SdkHttpError extends Error {}
/** Made by the SDK for each agent; it validates nothing, because nothing is connected. */
export class CfWorkerJsonSchemaValidator {}
/** @throws OffshootError `invalid_definition` */
export function validateClientMetadataUrl(): never {
  throw unavailable();
}
