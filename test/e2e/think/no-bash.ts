/** Stands for `just-bash`, which the SDK imports for scripts of skills: it is not there, and no test runs one. */
export class Bash {}
export const defineCommand = () => undefined;
