// A baseline in Go: net/http and a pgx pool, /products/{id}/styles by a live json_agg query.
// Usage: go-baseline PORT, with DATABASE_URL.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
)

const live = `
SELECT json_build_object('product_id', $1::int::text, 'results', coalesce(json_agg(json_build_object(
  'style_id', s.id, 'name', s.name, 'original_price', s.original_price::text, 'sale_price', s.sale_price::text,
  'default?', s.is_default,
  'photos', (SELECT json_agg(json_build_object('thumbnail_url', thumbnail_url, 'url', url) ORDER BY position)
             FROM catalog.photos WHERE style_id = s.id),
  'skus', (SELECT json_object_agg(id, json_build_object('quantity', quantity, 'size', size))
           FROM catalog.skus WHERE style_id = s.id)) ORDER BY s.id), '[]'))::text
FROM catalog.styles s WHERE s.product_id = $1`

func main() {
	pool, err := pgxpool.New(context.Background(), os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /products/{id}/styles", func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		if err != nil {
			http.Error(w, "malformed id", http.StatusBadRequest)
			return
		}
		var body []byte
		if err := pool.QueryRow(r.Context(), live, id).Scan(&body); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(body)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
