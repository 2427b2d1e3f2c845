/** Loaded before each test file in workerd: its files share a runtime, and each finds no object of another one. */
import { reset } from 'cloudflare:test';
import { afterAll } from 'vitest';

afterAll(() => reset());
