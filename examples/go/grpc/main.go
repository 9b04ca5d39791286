// Reads a journey with grpc-go. SVC_ADDRESS (host:port), SVC_TOKEN and SVC_JOURNEY in the environment.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	svcv2 "example.com/svc-client/gen/svc/v2"
)

func main() {
	// Over TLS: credentials.NewTLS(nil) instead of insecure.NewCredentials().
	conn, err := grpc.NewClient(os.Getenv("SVC_ADDRESS"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+os.Getenv("SVC_TOKEN"))

	answer, err := svcv2.NewJourneyServiceClient(conn).GetJourney(ctx, &svcv2.GetJourneyRequest{Id: os.Getenv("SVC_JOURNEY")})
	if err != nil {
		for _, detail := range status.Convert(err).Details() {
			if info, ok := detail.(*errdetails.ErrorInfo); ok {
				log.Fatalf("refused: %s (%s)", status.Convert(err).Message(), info.Reason)
			}
		}
		log.Fatal(err)
	}
	journey := answer.GetData()
	fmt.Printf("%s: %s, %d%% done\n", journey.GetFriendlyIdentifier(), journey.GetName(), journey.GetProgressPercent())
}
