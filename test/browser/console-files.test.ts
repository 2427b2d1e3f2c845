/** Files of an agent in the console. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { sized } from '../support/sizes';
import { APP, findings, servesConsole } from './served-console';

const app = servesConsole({ config: APP });
const address = '/agents/clerk/files';
/** A file that a page which held it would show by: far more than a page has. */
const LARGE_MB = sized(100, 200);

beforeAll(async () => {
  await app.client.start(address, { message: 'hello' });
});

describe('the files of an agent', () => {
  it('[CN48, CN66] are put there, read as Markdown or text, and removed (check 36)', async () => {
    const page = await app.opened(`/console${address}/files`);
    const text = '# A title\n\nSome <b>words</b>.';
    const file = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from(text) };
    await page.getByText('No files').waitFor();
    await page.getByLabel('Files to upload').setInputFiles([file]);
    await page.getByRole('link', { name: /^uploads\/notes\.md/u }).click();
    await page.waitForURL(`${app.url}/console${address}/files/uploads%2Fnotes.md`);
    await page.getByRole('heading', { name: 'A title' }).waitFor();
    await page.getByRole('button', { name: 'Text' }).click();
    expect(await page.locator('article pre').textContent()).toBe(text);
    expect(await findings(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect([download.suggestedFilename(), await readFile(await download.path(), 'utf8')]).toEqual(['notes.md', text]);
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('No files').waitFor();
    expect((await app.client.files(address)).items).toEqual([]);
    await page.goto(`${app.url}/console${address}/files/uploads/notes.md`);
    await page.getByText('There is no file uploads/notes.md here.').waitFor();
    await page.close();
  });

  it('[CN48] of many MB are downloaded as a stream, and shown by their beginning alone (check 36)', async () => {
    const piece = new Uint8Array(1_048_576).fill(97);
    const size = LARGE_MB * piece.length;
    const large = new Blob(Array.from({ length: LARGE_MB }, () => piece));
    await app.client.writeFile(address, 'large.txt', large, { mediaType: 'text/plain' });
    const page = await app.opened(`/console${address}/files/large.txt`);
    await page.getByText('Only the first 262 KB are shown').waitFor();
    await vi.waitFor(async () => expect((await page.locator('article pre').textContent())?.length).toBe(262_144));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    const stream = await download.createReadStream();
    let held = 0;
    for await (const piece of stream) held += piece.length;
    expect(held).toBe(size);
    // What went through the page is the part that it shows.
    expect(await page.evaluate<number>('performance.memory.usedJSHeapSize')).toBeLessThan(size);
    await app.client.removeFile(address, 'large.txt');
    await page.close();
  });

  it('[CN48] that hold HTML are downloaded and run nothing (check 53)', async () => {
    const html = '<script>document.title = "broken"</script><img src="https://example.com/x.png">';
    await app.client.writeFile(address, 'page.html', new Blob([html]), { mediaType: 'text/html' });
    const page = await app.opened(`/console${address}/files/page.html`);
    expect(await page.locator('article pre').textContent()).toBe(html);
    const direct = await page.context().newPage();
    const [download] = await Promise.all([
      direct.waitForEvent('download'),
      direct.goto(`${app.url}${address}/files/page.html`).catch(() => undefined),
    ]);
    expect([download.suggestedFilename(), await page.title()]).toEqual(['page.html', 'Offshoot']);
    await direct.close();
    await page.close();
  });
});
