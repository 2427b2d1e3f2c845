/** Hooks where a server renders a page. */
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client';
import { OffshootProvider, useRun } from '../../../src/react';

const Status = () => useRun('/agents/planner/one').status ?? 'unknown';

describe('a page that a server renders', () => {
  it('[RH4] has what is known before anything is, and asks for nothing', () => {
    const fetch = () => {
      throw new Error('It asked.');
    };
    const client = createClient({ baseUrl: 'https://agents.example', fetch });
    expect(renderToString(createElement(OffshootProvider, { client }, createElement(Status)))).toBe('unknown');
  });

  it('[RH4] says how a client is given', () => {
    expect(() => renderToString(createElement(Status))).toThrow(
      'There is no client: wrap the app in <OffshootProvider',
    );
  });
});
