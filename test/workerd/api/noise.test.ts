import { describe, expect, it } from 'vitest';
import { address, get, post, del } from '../../support/api';
import { told } from '../../support/puppet';
describe('noise', () => {
  it('[A1] a', async () => {
    for (let i = 0; i < 5; i++) {
      const at = address();
      await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
      console.log('del', i, (await del(at)).status);
      await new Promise((r) => setTimeout(r, 200));
    }
    console.log('second');
    for (let i = 0; i < 5; i++) {
      const at = address();
      await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
      await new Promise((r) => setTimeout(r, 200));
      console.log('del', i, (await del(at)).status);
      await new Promise((r) => setTimeout(r, 200));
    }
    console.log('third');
    for (let i = 0; i < 5; i++) {
      const at = address();
      await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
      console.log('del', i, (await del(at)).status, (await get(at + '/status')).status);
      await new Promise((r) => setTimeout(r, 200));
    }
  });
});
