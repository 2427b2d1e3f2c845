import { describe, expect, it } from 'vitest';
import { decodeBase64, PICTURE_TYPES, png, readPicture, SAMPLES } from './rules/pictures';

const bytesOf = (type: keyof typeof SAMPLES) => Buffer.from(SAMPLES[type], 'base64');

describe('pictures', () => {
  it.each(PICTURE_TYPES)('[PV8] reads a sample of %s', (type) => {
    expect(readPicture(bytesOf(type))).toEqual({ type, width: 1, height: 1 });
  });

  it.each(PICTURE_TYPES)('[PV8] takes no half of a sample of %s', (type) => {
    const bytes = bytesOf(type);
    expect(readPicture(bytes.subarray(0, Math.floor(bytes.length / 2)))).toBeUndefined();
    expect(readPicture(bytes.subarray(0, 12))).toBeUndefined();
  });

  it('[PV8] reads the size of a PNG, and takes none with a wrong sum or without data', () => {
    const bytes = Buffer.from(png(30, 20), 'base64');
    expect(readPicture(bytes)).toEqual({ type: 'image/png', width: 30, height: 20 });
    const changed = Buffer.from(bytes);
    changed[20] = 9;
    expect(readPicture(changed)).toBeUndefined();
    const data = bytes.indexOf('IDAT');
    const without = Buffer.concat([bytes.subarray(0, data - 4), bytes.subarray(bytes.indexOf('IEND') - 4)]);
    expect(readPicture(without)).toBeUndefined();
  });

  it('[PV8] takes no GIF whose picture has no code size', () => {
    const bytes = bytesOf('image/gif');
    bytes[bytes.lastIndexOf(0x2c) + 10] = 0;
    expect(readPicture(bytes)).toBeUndefined();
  });

  it('[PV8] takes no text, no page and nothing for a picture', () => {
    for (const text of ['', 'hello', '<html></html>', '%PDF-1.4'])
      expect(readPicture(Buffer.from(text))).toBeUndefined();
  });

  it('[PV8] decodes base64 alone', () => {
    expect(decodeBase64(Buffer.from('hi!').toString('base64'))?.toString()).toBe('hi!');
    for (const text of ['', 'aGk', 'data:image/png;base64,aGk=', 'a b=', undefined]) {
      expect(decodeBase64(text)).toBeUndefined();
    }
  });
});
