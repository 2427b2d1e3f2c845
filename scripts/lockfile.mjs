// npm run lock: run it after every change of a package.json. It lets npm write package-lock.json, and then adds what npm
// leaves out there: the builds of native packages for platforms whose packages the registry at hand does not carry.
// Without them `npm ci` refuses the lockfile, on every machine.
// --check writes nothing and fails when the lockfile is not complete or names a registry.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run, UserError } from './lib/fail.mjs';
import { npmEnv, root } from './lib/paths.mjs';

/** Folders with a package.json and a lockfile: the project and its site. */
const FOLDERS = ['.', 'site'];

/**
 * @typedef {{ version?: string, resolved?: string, dev?: boolean, peer?: boolean, optionalDependencies?: Record<string, string> }} Locked
 * @typedef {Record<string, Locked>} Packages by their path from the project
 */

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** Names of the same thing that packages use in their names. @type {Record<string, string>} */
const ALIASES = { windows: 'win32', 64: 'x64', gnu: 'glibc', gnueabihf: 'glibc', musleabihf: 'musl' };

/**
 * For which machines a native package is, by its name: `@esbuild/linux-arm64` is for Linux on ARM.
 * @param {string} name
 */
function machineOf(name) {
  const words = name.split(/[/-]/).map((word) => ALIASES[word] ?? word);
  /** @param {string[]} known */
  const among = (known) => words.filter((word) => known.includes(word));
  const lists = [among(SYSTEMS), among(PROCESSORS), among(['glibc', 'musl'])];
  const [os, cpu, libc] = lists.map((list) => (list.length > 0 ? list : undefined));
  return { os, cpu, libc };
}

/**
 * The native packages that the lockfile asks for and does not have, each with the entry that completes it.
 * @param {Packages} packages
 * @returns {[string, object][]} by the path where npm would put it
 */
function missing(packages) {
  /** @type {[string, object][]} */
  const added = [];
  for (const [path, { dev, peer, optionalDependencies = {} }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const found = findPackage(packages, path, name);
      const exact = /^\d+\.\d+\.\d+[-.\w]*$/.test(version);
      if (found && (!exact || found.version === version)) continue;
      if (!exact) {
        throw new UserError(`${path} asks for ${name} ${version}, which is no exact version: lock it by hand.`);
      }
      // Beside the package that wants it, where npm puts those of this machine, or below it when that place is taken.
      const beside = `${path.slice(0, path.lastIndexOf('node_modules/'))}node_modules/${name}`;
      const place = packages[beside]?.version ? `${path}/node_modules/${name}` : beside;
      const { os, cpu, libc } = machineOf(name);
      added.push([place, { version, cpu, dev, libc, optional: true, os, peer }]);
    }
  }
  return added;
}

/** @param {Packages} packages @param {string} path of the package that looks @param {string} name */
function findPackage(packages, path, name) {
  for (let at = path; ; at = dirname(at.slice(0, at.lastIndexOf('node_modules/') + 1))) {
    const base = at === '.' || at === '' ? '' : `${at}/`;
    const found = packages[`${base}node_modules/${name}`];
    if (found?.version) return found;
    if (base === '') return undefined;
  }
}

/** @param {string} folder */
const lockOf = (folder) => join(root, folder, 'package-lock.json');

/** @param {string} folder @returns {{ packages: Packages }} */
const readLock = (folder) => JSON.parse(readFileSync(lockOf(folder), 'utf8'));

/** The faults of a lockfile. @param {string} folder @returns {string[]} */
function problems(folder) {
  const name = join(folder, 'package-lock.json');
  const { packages } = readLock(folder);
  const incomplete = [
    ...missing(packages).map(([path]) => path),
    ...Object.keys(packages).filter((path) => path !== '' && !packages[path]?.version),
  ];
  const named = Object.values(packages).some(({ resolved }) => resolved?.startsWith('http'));
  return [
    ...(incomplete.length > 0 ? [`${name} lacks ${incomplete.length} packages: run \`npm run lock\``] : []),
    ...(named ? [`${name} names a registry: run \`npm run lock\``] : []),
  ];
}

/** @param {string} folder */
function update(folder) {
  const cwd = join(root, folder);
  const npm = spawnSync('npm', ['install', '--package-lock-only'], { cwd, env: npmEnv(), stdio: 'inherit' });
  if (npm.status !== 0) throw new UserError('npm could not write the lockfile.');
  const lock = readLock(folder);
  const added = missing(lock.packages);
  const entries = [...Object.entries(lock.packages), ...added].sort(([a], [b]) => a.localeCompare(b, 'en'));
  writeFileSync(lockOf(folder), `${JSON.stringify({ ...lock, packages: Object.fromEntries(entries) }, null, 2)}\n`);
  console.log(
    `${join(folder, 'package-lock.json')} is complete; ${added.length} packages of other platforms were added by name.`,
  );
}

await run(async () => {
  if (!process.argv.includes('--check')) FOLDERS.forEach(update);
  const found = FOLDERS.flatMap(problems);
  for (const problem of found) console.error(problem);
  return found.length > 0 ? 1 : 0;
});
