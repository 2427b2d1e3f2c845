/** Loaded before each file of tests in a browser: a test fails by what its pages did wrong. */
import { afterEach, expect } from 'vitest';
import { wrong } from './chromium';

afterEach(() => expect(wrong.splice(0)).toEqual([]));
