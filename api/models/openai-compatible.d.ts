import { t as openaiCompatible } from "../shared/openai-compatible.js";
export { openaiCompatible };