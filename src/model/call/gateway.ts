/**
 * Metadata for Cloudflare's AI Gateway, by which its logs are searched and its spend limits count: agent, root, run and step.
 *
 * Decides: which models are behind a gateway, by their addresses.
 * Keeps M86, M87.
 */
import type { ModelRequest, SettingWarning } from '../../core/definition/model-port';
import { isObject } from '../../protocol/json';
import { asNewest } from '../older';
import type { AskedModel, LanguageModel } from '../resolve';

const HEADER = 'cf-aig-metadata';
const HOST = 'gateway.ai.cloudflare.com';

/** The most entries that a gateway keeps; it drops others. */
const MAX_ENTRIES = 5;

type Metadata = Readonly<Record<string, unknown>>;

/** A model with the metadata of a request, or the headers that hold them. */
interface Through {
  readonly model: AskedModel;
  readonly headers?: Readonly<Record<string, string>>;
  readonly warnings: readonly SettingWarning[];
}

/** A request on its way through a gateway; a model that is behind none stays as it is. */
export function throughGateway(model: AskedModel, request: ModelRequest): Through {
  const { gatewayMetadata: wanted } = request.settings ?? {};
  if (wanted === false) return { model, warnings: [] };
  const raw: unknown = model.wraps ?? model;
  const carrier = carrierOf(raw);
  const metadata = metadataOf(request);
  if (carrier === 'header' || (wanted && carrier === undefined))
    return { model, headers: { [HEADER]: ascii(JSON.stringify(metadata)) }, warnings: [] };
  if (carrier === undefined) return { model, warnings: [] };
  if (carrier === 'none') {
    const text = 'the model has no `gateway`, so it is omitted.';
    return { model, warnings: wanted ? [{ setting: 'gatewayMetadata', text }] : [] };
  }
  return { model: withConfig(model, raw, carrier(metadata)), warnings: [] };
}

function metadataOf({ agentType, root, runId, step }: ModelRequest): Metadata {
  return { agent: agentType, ...(root === undefined ? {} : { root }), run: runId, step };
}

/** A header holds ASCII alone. */
const ascii = (json: string): string =>
  json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The author's entries, and as many of ours as there is room for. */
function together(given: unknown, ours: Metadata): Metadata {
  return Object.fromEntries(Object.entries({ ...ours, ...(isObject(given) ? given : {}) }).slice(-MAX_ENTRIES));
}

/** The place of the metadata: a header, or another configuration of the model. */
type Carrier = 'header' | 'none' | ((metadata: Metadata) => object) | undefined;

function carrierOf(raw: unknown): Carrier {
  if (typeof raw !== 'object' || raw === null || !('config' in raw) || !isObject(raw.config)) return undefined;
  const config: Readonly<Record<string, unknown>> = raw.config;
  if ('models' in raw && Array.isArray(raw.models) && ('binding' in config || 'accountId' in config)) {
    const options = isObject(config.options) ? config.options : {};
    return (metadata) => ({ ...config, options: { ...options, metadata: together(options.metadata, metadata) } });
  }
  if ('binding' in config) {
    const settings = 'settings' in raw && isObject(raw.settings) ? raw.settings : {};
    const gateway = config.gateway ?? settings.gateway;
    if (!isObject(gateway)) return 'none';
    return (metadata) => ({ ...config, gateway: { ...gateway, metadata: together(gateway.metadata, metadata) } });
  }
  return addressOf(config, raw)?.hostname === HOST ? 'header' : undefined;
}

/** The address that a package of the AI SDK sends its requests to, as far as it shows one. */
function addressOf({ baseURL, url }: Readonly<Record<string, unknown>>, raw: object): URL | undefined {
  try {
    const path = '/chat/completions';
    const modelId = 'modelId' in raw ? raw.modelId : '';
    const address: unknown = typeof url === 'function' ? url({ path, modelId }) : baseURL;
    return typeof address === 'string' ? new URL(address) : undefined;
  } catch {
    return undefined;
  }
}

/** The same model with another configuration; the model itself, which others use too, stays as it is. */
function withConfig(model: AskedModel, raw: unknown, config: object): AskedModel {
  const made = Object.create(raw as object, { config: { value: config, writable: true } }) as LanguageModel;
  return model.wraps === undefined || made.specificationVersion === 'v4' ? (made as AskedModel) : asNewest(made);
}
