import { t as anthropic } from "../shared/anthropic.js";
export { anthropic };