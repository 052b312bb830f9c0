/** The agents of this project. `everloop dev` and `everloop worker` read this file. */
import { defineAgent, defineConfig } from 'everloop';
import { orderStatus } from './tools/order-status.ts';

export default defineConfig({
  agents: {
    support: defineAgent({
      model: 'openai-chat:gpt-5.5',
      instructions:
        'You help the customers of a small shop. Look an order up before you say anything about it.',
      tools: [orderStatus],
      maxIterations: 12,
    }),
  },
});
