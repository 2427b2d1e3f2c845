#!/usr/bin/env node
// npm create offshoot: the process around create.mjs. It starts on any Node that runs modules, to refuse an old one.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { create } from './create.mjs';

/** @param {string} question @returns {Promise<string>} empty at the end of the input */
function ask(question) {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve) => {
    lines.on('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** @param {string} command @param {string[]} args @param {string} cwd @returns {Promise<number>} the exit code */
function run(command, args, cwd) {
  return new Promise((resolve) => {
    // The commands of package managers are scripts on Windows.
    const child = spawn(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code === null ? 1 : code));
  });
}

create(process.argv.slice(2), {
  node: process.versions.node,
  cwd: process.cwd(),
  env: process.env,
  terminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
  write: (text) => process.stdout.write(`${text}\n`),
  fail: (text) => process.stderr.write(`${text}\n`),
  ask,
  run,
}).then((code) => {
  process.exitCode = code;
});
