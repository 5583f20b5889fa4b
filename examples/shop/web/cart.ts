import { formatPrice } from "./price";

export interface CartItem {
  name: string;
  price: number;
}

/** カートの合計金額を計算する */
export function cartTotal(items: CartItem[]): string {
  return formatPrice(items.reduce((sum, item) => sum + item.price, 0));
}
