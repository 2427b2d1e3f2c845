import { t as openai } from "../shared/openai.js";
export { openai };