/**
 * The files of a whole request: how many there may be, how large they may be together, and how large each where there are
 * many. The oldest are omitted first.
 *
 * Keeps M71, M94.
 */
import { oldestOut } from '../../protocol/content/room';
import { omitted, sideOf } from './files';
import type { PictureRule, Profile } from './profile';
import type { PlacedFile, UserPart } from './shape';

/** The files that a request omits, each with the line that replaces it. */
export type Omissions = ReadonlyMap<UserPart, { readonly part: UserPart; readonly note: string }>;

/** The files that a request leaves out. */
export function crowdedOut(files: readonly PlacedFile[], profile: Profile): Omissions {
  const out = new Map<UserPart, { part: UserPart; note: string }>();
  const omit = ({ part }: PlacedFile, problem: string): void => {
    const { filename, mediaType } = part;
    const { part: line, note = '' } = omitted({ mediaType, ...(filename === undefined ? {} : { filename }) }, problem);
    out.set(part, { part: line, note });
  };
  const { pictures, mostPages, mostFiles } = profile;
  if (pictures) crowdedPictures(files, pictures, omit);
  const oldest = (sizeOf: (file: PlacedFile) => number, most: number, problem: string): void => {
    const rest = files.filter((file) => !out.has(file.part) && sizeOf(file) > 0);
    for (const file of rest.slice(0, oldestOut(rest.map(sizeOf), most))) omit(file, problem);
  };
  const older = 'and this is one of the oldest';
  oldest(({ pages = 0 }) => pages, mostPages, `PDF files have more than ${mostPages} pages together, ${older}`);
  const megabytes = mostFiles / 1_048_576;
  oldest(charactersOf, mostFiles, `files have more than ${megabytes} MB together as base64, ${older}`);
  return out;
}

function crowdedPictures(
  files: readonly PlacedFile[],
  { mostPictures, crowd }: PictureRule,
  omit: (file: PlacedFile, problem: string) => void,
): void {
  const pictures = files.filter(({ picture }) => picture !== undefined);
  // Half of them at once, so that the beginning of the next requests stays.
  const half = Math.ceil(mostPictures / 2);
  const many = Math.ceil(Math.max(0, pictures.length - mostPictures) / half) * half;
  for (const file of pictures.slice(0, many)) omit(file, `the request has more than ${mostPictures} images`);
  const rest = pictures.slice(many);
  if (crowd === undefined || rest.length <= crowd.count) return;
  for (const file of rest)
    if (file.picture && sideOf(file.picture) > crowd.mostPixels)
      omit(file, `a request with more than ${crowd.count} images accepts at most ${crowd.mostPixels} pixels per side`);
}

const charactersOf = ({ part: { data } }: PlacedFile): number =>
  data.type === 'data' && typeof data.data === 'string' ? data.data.length : 0;
