/** Rules of a provider's API as data, and the verdict on one request by them. */

/** The answer to a request that a provider does not take. */
export interface Refusal {
  readonly status: number;
  /** The body, in the provider's own shape. */
  readonly body: unknown;
}

/** A refusal, with the rule that it is by. */
export interface Problem extends Refusal {
  readonly rule: string;
}

/** Limits that differ between models, and between tests of one model. */
export interface Limits {
  /** The tokens that the model's window holds; not checked where absent. */
  readonly window?: number;
  /** Estimates the tokens of a request's text; a quarter of its bytes where absent. */
  readonly tokens?: (text: string) => number;
  /** The most bytes that a request may have; the provider's own where absent. */
  readonly maxBytes?: number;
  /** True for a model that takes pictures. */
  readonly vision?: boolean;
  /** Without the rules that only single reports speak of: `false`. */
  readonly reported?: boolean;
}

/** A request as JSON, or the value that it is made of. */
export type Request = string | object;

/** One request, as rules see it. */
export class Asked<Body> {
  #body: { readonly value: Body } | undefined;

  constructor(
    readonly text: string,
    readonly limits: Limits = {},
  ) {}

  /** The request as a value. @throws SyntaxError where it is no JSON */
  get body(): Body {
    this.#body ??= { value: JSON.parse(this.text) };
    return this.#body.value;
  }

  /** The size of the request, in bytes of UTF-8. */
  get bytes(): number {
    return Buffer.byteLength(this.text);
  }

  /** The size of the request, in tokens. */
  get tokens(): number {
    return this.limits.tokens?.(this.text) ?? Math.ceil(this.bytes / 4);
  }
}

/** One rule of a provider's API. */
export interface Rule<Body = never> {
  readonly id: string;
  /** The provider's demand, in one sentence. */
  readonly says: string;
  /** A page, an issue or a quotation that shows it. */
  readonly source: string;
  /** `reported`: single reports alone speak of it, or of some models. Without: documented, or seen again and again. */
  readonly certainty?: 'reported';
  /** A request that breaks this rule and none before it. */
  readonly refuses: Request;
  /** A request close to it that is taken. */
  readonly takes: Request;
  /** The limits that both examples are judged with. */
  readonly limits?: Limits;
  problem(asked: Asked<Body>): Refusal | undefined;
}

/** A judgement of requests that needs nothing but the request: undefined for one that is taken. */
export type Judge = (request: Request, limits?: Limits) => Problem | undefined;

/**
 * The judge by a table of rules, in the order of the table. Never throws: a request whose parts are of other types than
 * the rules take for granted is refused with `misshapen`, as the rule `shape`.
 */
export function judgeBy<Body>(rules: readonly Rule<Body>[], misshapen: (message: string) => Refusal): Judge {
  return (request, limits = {}) => {
    const asked = new Asked<Body>(typeof request === 'string' ? request : JSON.stringify(request), limits);
    for (const rule of rules) {
      if (rule.certainty === 'reported' && limits.reported === false) continue;
      try {
        const refusal = rule.problem(asked);
        if (refusal !== undefined) return { rule: rule.id, ...refusal };
      } catch (error) {
        return { rule: 'shape', ...misshapen(`Invalid request: ${error instanceof Error ? error.message : error}`) };
      }
    }
    return undefined;
  };
}

/** True for an object that is not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a text that is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The first text in a value, keys included, that holds half a surrogate pair. */
export function brokenText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const broken = brokenText(key) ?? brokenText(inner);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

/** The values that come more than once, each once. */
export function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, at) => values.indexOf(value) !== at))];
}
