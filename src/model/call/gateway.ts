/**
 * Metadata for Cloudflare's AI Gateway, by which its logs are searched and its spend limits count: agent, root, run and step.
 *
 * Decides: which models are behind a gateway, by their addresses; which entries a request has.
 * Keeps M86, M87, M101, M102.
 */
import type { ModelRequest, SettingWarning } from '../../core/definition/model-port';
import { isObject } from '../../protocol/json';
import { asNewest } from '../older';
import type { AskedModel, LanguageModel } from '../resolve';

const HEADER = 'cf-aig-metadata';
const HOST = 'gateway.ai.cloudflare.com';

/** The most entries that a gateway keeps; it drops others. */
const MAX_ENTRIES = 5;

/** Names that a gateway keeps for itself; it drops those of others. */
const RESERVED = /^cf\./i;

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
  const ours = metadataOf(request);
  if (carrier === 'header' || (wanted && carrier === undefined)) {
    const { metadata, warnings } = together(ownHeader(raw), ours);
    return { model, headers: { [HEADER]: ascii(JSON.stringify(metadata)) }, warnings };
  }
  if (carrier === undefined) return { model, warnings: [] };
  if (carrier === 'none') {
    const text = 'the model has no `gateway`, so it is omitted.';
    return { model, warnings: wanted ? [{ setting: 'gatewayMetadata', text }] : [] };
  }
  const { metadata, warnings } = together(carrier.given, ours);
  return { model: withConfig(model, raw, carrier.config(metadata)), warnings };
}

function metadataOf({ agentType, root, runId, step }: ModelRequest): Metadata {
  return { agent: agentType, ...(root === undefined ? {} : { root }), run: runId, step };
}

/** A header holds ASCII alone. */
const ascii = (json: string): string =>
  json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The author's entries that a gateway keeps, and as many of ours as fit. */
function together(
  given: unknown,
  ours: Metadata,
): { readonly metadata: Metadata; readonly warnings: readonly SettingWarning[] } {
  const entries = Object.entries(isRecord(given) ? given : {}).filter(([, value]) => value !== undefined);
  const kept = entries.filter(([name, value]) => isKept(name, value)).slice(0, MAX_ENTRIES);
  const omitted = entries.filter((entry) => !kept.includes(entry)).map(([name]) => name);
  const room = Object.entries(ours).filter(([name]) => !kept.some(([other]) => other === name));
  const metadata = Object.fromEntries([...kept, ...room].slice(0, MAX_ENTRIES));
  const text = `a gateway keeps ${MAX_ENTRIES} entries that are text, numbers or true and false, so these are left out: ${omitted.join(', ')}.`;
  return { metadata, warnings: omitted.length === 0 ? [] : [{ setting: 'gatewayMetadata', text }] };
}

const isKept = (name: string, value: unknown): boolean =>
  !RESERVED.test(name) &&
  (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)));

const isRecord = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entries in the header that a model has for all of its requests, as far as it shows its headers. */
function ownHeader(raw: unknown): unknown {
  if (!isRecord(raw) || !isRecord(raw.config)) return undefined;
  try {
    const { headers: given } = raw.config;
    const headers: unknown = typeof given === 'function' ? given() : given;
    // Headers that come later are not read; the request reports why they failed.
    if (isRecord(headers) && 'then' in headers) return void Promise.resolve(headers).catch(() => undefined);
    const [, text] =
      Object.entries(isRecord(headers) ? headers : {}).find(([name]) => name.toLowerCase() === HEADER) ?? [];
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    // A model without its key fails when it is asked; a gateway reads JSON alone.
    return undefined;
  }
}

/** The place of the metadata: a header, or another configuration of the model, which has those of the author. */
type Carrier = 'header' | 'none' | { readonly given: unknown; config(metadata: Metadata): object } | undefined;

function carrierOf(raw: unknown): Carrier {
  if (typeof raw !== 'object' || raw === null || !('config' in raw) || !isObject(raw.config)) return undefined;
  const config: Readonly<Record<string, unknown>> = raw.config;
  if ('models' in raw && Array.isArray(raw.models) && ('binding' in config || 'accountId' in config)) {
    const options = isObject(config.options) ? config.options : {};
    return { given: options.metadata, config: (metadata) => ({ ...config, options: { ...options, metadata } }) };
  }
  if ('binding' in config) {
    const settings = 'settings' in raw && isObject(raw.settings) ? raw.settings : {};
    const gateway = config.gateway ?? settings.gateway;
    if (!isObject(gateway)) return 'none';
    return { given: gateway.metadata, config: (metadata) => ({ ...config, gateway: { ...gateway, metadata } }) };
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
