# Concord for a team: `docker compose up` starts it behind Caddy (compose.yaml).
FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1
WORKDIR /concord
COPY requirements.txt ./
RUN pip install --require-hashes -r requirements.txt
COPY . .

# The database, its backups and exports lie on a volume; the program itself cannot be written.
RUN useradd --uid 10001 --create-home concord && mkdir /data && chown concord /data
USER concord
VOLUME /data
ENV CONCORD_DB=/data/concord.db

EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "server.py", "--server.address=0.0.0.0", "--server.port=8501"]
