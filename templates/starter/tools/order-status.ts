/** A tool: what the model may ask for, and what happens then. */
import { defineTool } from 'everloop';
import { z } from 'zod';

/** Your shop's database or API takes the place of this. */
const orders = new Map([
  ['4711', 'is on its way and arrives tomorrow'],
  ['4712', 'has been delivered'],
]);

export const orderStatus = defineTool({
  name: 'order_status',
  description: 'Tells where an order is.',
  input: z.object({ orderId: z.string().describe('Order number') }),
  // It only reads, so a lost attempt may be run again. A tool that changes something says
  // 'idempotent' or 'keyed', or nothing: then it is never silently run twice.
  effect: 'none',
  timeout: '10 seconds',
  execute({ orderId }) {
    // What a tool throws is told to the model, which can ask the customer or try something else.
    const status = orders.get(orderId);
    if (status === undefined) throw new Error(`There is no order ${orderId}.`);
    return `Order ${orderId} ${status}.`;
  },
});
