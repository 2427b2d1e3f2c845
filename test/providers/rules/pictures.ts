/** Pictures: whether bytes are one, of which type and size, and small samples of each type. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** The types that all providers take. */
export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

/** A type of picture. */
export type PictureType = (typeof PICTURE_TYPES)[number];

/** Type and size of a picture. */
export interface Picture {
  readonly type: PictureType;
  readonly width: number;
  readonly height: number;
}

const PNG_HEAD = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The type that the first bytes claim, whether or not a picture follows. */
export function claimedType(bytes: Buffer): PictureType | undefined {
  if (bytes.subarray(0, 8).equals(PNG_HEAD)) return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  if (/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return 'image/gif';
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}

/** The picture that bytes hold, or nothing for what no decoder would open. */
export function readPicture(bytes: Buffer): Picture | undefined {
  const type = claimedType(bytes);
  if (type === undefined) return undefined;
  const size = { 'image/png': pngSize, 'image/jpeg': jpegSize, 'image/gif': gifSize, 'image/webp': webpSize }[type];
  try {
    const [width, height] = size(bytes);
    return width > 0 && height > 0 ? { type, width, height } : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of base64, or nothing for a text that is not base64. */
export function decodeBase64(text: unknown): Buffer | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0 ? Buffer.from(text, 'base64') : undefined;
}

type Size = readonly [width: number, height: number];

function pngSize(bytes: Buffer): Size {
  let at = PNG_HEAD.length;
  let size: Size | undefined;
  const data: Buffer[] = [];
  for (;;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (bytes.readUInt32BE(at + 8 + length) !== crc32(bytes.subarray(at + 4, at + 8 + length))) throw new Error('sum');
    if (size === undefined && type !== 'IHDR') throw new Error('no header');
    if (type === 'IHDR') size = [content.readUInt32BE(0), content.readUInt32BE(4)];
    if (type === 'IDAT') data.push(content);
    at += 12 + length;
    if (type !== 'IEND') continue;
    if (size === undefined || inflateSync(Buffer.concat(data)).length === 0) throw new Error('no picture');
    return size;
  }
}

function jpegSize(bytes: Buffer): Size {
  let size: Size | undefined;
  for (let at = 2; ; ) {
    if (bytes[at] !== 0xff) throw new Error('no marker');
    const marker = bytes.readUInt8(at + 1);
    const length = bytes.readUInt16BE(at + 2);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) size = [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    at += 2 + length;
    if (marker !== 0xda) continue;
    if (size === undefined || bytes.indexOf(Buffer.from([0xff, 0xd9]), at) < 0) throw new Error('no picture');
    return size;
  }
}

function gifSize(bytes: Buffer): Size {
  const packed = bytes.readUInt8(10);
  let at = 13 + (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0);
  while (bytes.readUInt8(at) === 0x21) {
    at += 2;
    while (bytes.readUInt8(at) !== 0) at += bytes.readUInt8(at) + 1;
    at += 1;
  }
  if (bytes.readUInt8(at) !== 0x2c || bytes.readUInt8(at + 10) === 0) throw new Error('no picture');
  return [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
}

function webpSize(bytes: Buffer): Size {
  if (bytes.readUInt32LE(4) + 8 > bytes.length) throw new Error('cut off');
  const body = 20;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return [bytes.readUInt16LE(body + 6) & 0x3fff, bytes.readUInt16LE(body + 8) & 0x3fff];
    case 'VP8L': {
      const bits = bytes.readUInt32LE(body + 1);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case 'VP8X':
      return [bytes.readUIntLE(body + 4, 3) + 1, bytes.readUIntLE(body + 7, 3) + 1];
    default:
      throw new Error('no picture');
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([ends.subarray(0, 4), content, ends.subarray(4)]);
}

/** A grey PNG of that size, as base64. */
export function png(width = 1, height = 1): string {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const rows = deflateSync(Buffer.alloc((width + 1) * height));
  const parts = [PNG_HEAD, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat(parts).toString('base64');
}

/** A picture of one pixel of each type, as base64. */
export const SAMPLES: Readonly<Record<PictureType, string>> = {
  'image/png': png(),
  'image/jpeg':
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB' +
    'AQEBAQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==',
  'image/gif': 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'image/webp': 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA',
};

/** A PDF without pages to speak of, as base64. */
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n').toString(
  'base64',
);

/** A PDF of so many pages, as base64; compressed as most writers keep them. */
export function pdfOf(pages: number, compressed = false): string {
  const objects = '<</Type /Page/Parent 2 0 R>>\n'.repeat(pages);
  const packed = deflateSync(objects);
  const body = compressed
    ? Buffer.concat([
        Buffer.from(`3 0 obj<</Type /ObjStm/N ${pages}/Filter/FlateDecode/Length ${packed.length}>>stream\n`),
        packed,
        Buffer.from('\nendstream endobj\n'),
      ])
    : Buffer.from(objects);
  const tree = `2 0 obj<</Type /Pages/Count ${pages}>>endobj\n`;
  return Buffer.concat([
    Buffer.from(`%PDF-1.5\n1 0 obj<</Type /Catalog/Pages 2 0 R>>endobj\n${tree}`),
    body,
    Buffer.from('trailer<</Root 1 0 R>>\n%%EOF\n'),
  ]).toString('base64');
}

/** The pages of a PDF that `pdfOf` makes, as its page tree counts them. */
export function pdfPages(data: string): number {
  return Number(/\/Type \/Pages\/Count (\d+)/.exec(Buffer.from(data, 'base64').toString('latin1'))?.[1] ?? 0);
}
