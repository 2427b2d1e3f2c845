/**
 * Pictures of a whole request: how many there may be, and how large when there are many.
 *
 * Keeps M71.
 */
import type { LanguageModelV4FilePart } from '@ai-sdk/provider';
import { omitted, sideOf } from './files';
import type { PictureRule } from './profile';
import type { PlacedPicture, UserPart } from './shape';

/** Which pictures a request leaves out, with the line that replaces each. */
export function crowdedOut(pictures: readonly PlacedPicture[], rule: PictureRule): ReadonlyMap<UserPart, UserPart> {
  const out = new Map<UserPart, UserPart>();
  const omit = (part: LanguageModelV4FilePart, problem: string): void => {
    const { filename, mediaType } = part;
    out.set(part, omitted({ mediaType, ...(filename === undefined ? {} : { filename }) }, problem).part);
  };
  // Half of them at once, so that the beginning of the next requests stays.
  const half = Math.ceil(rule.mostPictures / 2);
  const many = Math.ceil(Math.max(0, pictures.length - rule.mostPictures) / half) * half;
  for (const { part } of pictures.slice(0, many)) omit(part, `there are more than ${rule.mostPictures} pictures`);
  const { crowd } = rule;
  if (crowd === undefined || pictures.length - out.size <= crowd.count) return out;
  for (const { part, facts } of pictures)
    if (!out.has(part) && sideOf(facts) > crowd.mostPixels)
      omit(part, `with more than ${crowd.count} pictures a side may have ${crowd.mostPixels} pixels`);
  return out;
}
