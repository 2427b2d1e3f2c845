/**
 * Warnings of the AI SDK about settings that a model did not take, as ours.
 *
 * Keeps M82.
 */
import type { SettingWarning } from '../../core/definition/model-port';
import { sentence } from '../../protocol/content/sentence';
import { isObject } from '../../protocol/json';

const UNSUPPORTED = 'the model does not support it, so it is omitted';

/** The warnings of one request. Those about names of options are for the author of a package, and are left out. */
export function warningsOf(given: readonly unknown[] | undefined): SettingWarning[] {
  return (given ?? []).flatMap((warning) => {
    if (!isObject(warning) || warning.type === 'deprecated') return [];
    const { feature, setting, details, message } = warning;
    const name = [feature, setting].find((one) => typeof one === 'string');
    const text = [details, message].find((one) => typeof one === 'string');
    if (name === undefined && text === undefined) return [];
    return [{ setting: String(name ?? text), text: name === undefined ? '' : sentence(text ?? UNSUPPORTED) }];
  });
}
