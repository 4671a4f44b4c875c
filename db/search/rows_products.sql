SELECT id, name, category, slogan, description FROM {schema}.products WHERE id BETWEEN {first} AND {last}
