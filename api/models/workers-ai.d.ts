import { n as workersAi, t as DEFAULT_WORKERS_AI_MODEL } from "../shared/workers-ai.js";
export { DEFAULT_WORKERS_AI_MODEL, workersAi };